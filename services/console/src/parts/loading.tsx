/** Shown once it takes long: a flash helps no one. */
export function Loading({ label = "Loading …" }: { readonly label?: string }) {
  return (
    <p className="loading" role="status">
      {label}
    </p>
  );
}
