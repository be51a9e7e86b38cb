export const handler = async (event) => {
  if (event.Records === undefined) return { version: 1, limit: process.env.LIMIT, table: process.env.TABLE };
  return { batchItemFailures: [] };
};
