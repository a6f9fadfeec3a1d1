const missing = (): string => {
  throw new Error("The greetings are missing\nand more");
};

export const greetings = missing();
