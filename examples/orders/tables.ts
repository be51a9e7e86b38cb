/** Under which names the example's effects are kept: the handlers write under them, the judge reads them. */

/** How many shelves the warehouse has. The data names no product, so an order's shelf follows from its id. */
export const shelves = 200;

/** Partition key of the shelf that an order takes from, in the table of stock. */
export const shelfKey = (orderId: number): string => `shelf#${orderId % shelves}`;

/**
 * Partition key of a customer's list in the table of stock. Its `orders` are one list, so that their order shows, of
 * maps: `id`, and `from`, which is `shelf` or `backOrder`.
 */
export const customerKey = (customerId: number): string => `customer#${customerId}`;

/**
 * How many items share a day's revenue. Orders come day by day, so one item a day would take every write of the
 * moment: DynamoDB gives one item about 1,000 writes a second, transactions on it conflict, and one transaction takes
 * no two writes on it. Fifty items share them, as many as one transaction of orders and their records can write to;
 * who reads a day adds them up.
 */
export const dayShards = 50;

/** Partition key in the table of revenue of the part of a day that counts an order. */
export const dayKey = (date: string, orderId: number): string => `${date}#${orderId % dayShards}`;

/** Where a customer's mails go. */
export const mailAddress = (customerId: number): string => `customer-${customerId}@example.com`;
