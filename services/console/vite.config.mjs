import { fileURLToPath } from "node:url";
import { defaultClientConditions, defineConfig } from "vite";

/** The address at which `npx vite services/console` finds the API, for work on the page. */
const api = process.env["API_URL"] ?? "http://127.0.0.1:3000";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/console/",
  oxc: { jsx: { runtime: "automatic" } },
  // Packages of ours from their source, as everywhere: nothing need be built before.
  resolve: { conditions: ["@holdfast/source", ...defaultClientConditions] },
  build: {
    outDir: "built",
    target: "es2024",
    // Files alone: the policy of the page takes no data URL and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Libraries mark modules for servers that render React; there is none here.
      onwarn: (warning, warn) => warning.code === "MODULE_LEVEL_DIRECTIVE" || warn(warning),
    },
  },
  server: { proxy: { "/v1": api } },
});
