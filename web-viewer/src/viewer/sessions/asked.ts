// What an agent asked, on one line.

/** Parameters as `name: value`, without those that are not set. */
export function askedOf(params: unknown): string {
  if (typeof params !== 'object' || params === null) return '';
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== undefined);
  return given.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ');
}
