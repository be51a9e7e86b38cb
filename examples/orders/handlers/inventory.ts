import { consume } from 'sluice/lambda';
import { takeFromStock } from '../business/inventory.ts';
import { orders } from '../topology.ts';
import { outside, required } from './outside.ts';

/** The function of the subscriber `inventory`. */
export const handler = consume(orders, 'inventory', takeFromStock(required('STOCK_TABLE'), outside));
