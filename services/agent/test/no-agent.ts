export const handlers = { say: async () => "hello" };
