import type { Metrics } from "@holdfast/runtime";
import type { FastifyInstance } from "fastify";
import { httpMetrics } from "./http-metrics.ts";

/** Measures each answer, by the pattern of its route: a path has ids in it, of which there is no end. */
export function measureHttp(app: FastifyInstance, metrics: Metrics): void {
  const took = metrics.histogram(httpMetrics.duration);
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.is404 ? "none" : (request.routeOptions.url ?? "none");
    took(reply.elapsedTime / 1_000, request.method, route, String(reply.statusCode));
    done();
  });
}
