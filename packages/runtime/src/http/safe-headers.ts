/** Headers of every answer that says nothing else: browsers guess no type, and nothing on the way keeps it. */
export const safeHeaders = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
} as const;
