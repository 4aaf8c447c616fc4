export const lifetime = 86400;
