// The link types that every project has.

export const LINK_TYPES: readonly string[] = ['references', 'depends_on', 'implements', 'extends', 'conflicts_with'];
