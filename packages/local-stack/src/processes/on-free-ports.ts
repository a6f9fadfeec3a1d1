const attempts = 5;
/** What a port that is taken is called by Postgres, by Erlang and by RabbitMQ. */
const taken = /address already in use|eaddrinuse|dist_port_already_used/i;

/** Whether this says that another program has the port. */
export const isPortTaken = (error: unknown): boolean => taken.test(String(error));

/**
 * Starts a server on ports that it looks for. Between the look and the server's own bind a stranger
 * may take one of them: then it is done again.
 */
export async function onFreePorts<Server>(start: () => Promise<Server>): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      if (attempt === attempts || !isPortTaken(error)) throw error;
    }
  }
}
