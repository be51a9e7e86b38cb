/** Names of the tables. */
export const tables = {
  sluice: 'sluice-records',
  powertools: 'powertools-records',
  effects: 'effects',
} as const;
