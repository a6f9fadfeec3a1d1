/**
 * Rows, turned on their side: one array for each column, as `unnest` wants them. The names of the
 * columns become the names of the parameters.
 */
export function columns<
  Row extends object,
  const Names extends Readonly<Record<string, keyof Row>>,
>(
  rows: readonly Row[],
  names: Names,
): { readonly [Parameter in keyof Names]: Row[Names[Parameter]][] } {
  const turned = Object.entries(names).map(([parameter, key]) => [
    parameter,
    rows.map((row) => row[key]),
  ]);
  return Object.fromEntries(turned) as never;
}
