/** What a browser would run, or show as something else, if a page took it for markup. Each sets `hacked`, or tries to. */
export const hostileTexts: readonly string[] = [
  "<script>globalThis.hacked=1</script>",
  "<img src=x onerror=globalThis.hacked=1>",
  '"><img src=x onerror=globalThis.hacked=1>',
  "' onmouseover='globalThis.hacked=1",
  "<svg onload=globalThis.hacked=1><animate onbegin=globalThis.hacked=1 attributeName=x dur=1s>",
  "<svg><script>globalThis.hacked=1</script></svg>",
  "<math><mtext></form><form><mglyph><style></math><img src onerror=globalThis.hacked=1>",
  "javascript:globalThis.hacked=1",
  "data:text/html,<script>globalThis.hacked=1</script>",
  "<iframe srcdoc='<script>parent.hacked=1</script>'>",
  "<a href=javascript:globalThis.hacked=1>click</a>",
  "</textarea></title></style></script><script>globalThis.hacked=1</script>",
  // oxlint-disable-next-line no-template-curly-in-string -- As text: a page must not fill it in.
  "${globalThis.hacked=1}{{constructor.constructor('globalThis.hacked=1')()}}#{7*7}",
  "__proto__",
  "\u202Egnp.exe \u2066reversed\u2069 \u200F",
  "Z\u0351\u036B\u0343a\u0357\u0348l\u0333\u034Dg\u0310\u0342o ".repeat(8),
  "W".repeat(180),
];
