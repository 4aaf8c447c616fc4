export const signIn = (name, password) => ({ name, password });
