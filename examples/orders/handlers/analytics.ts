import { consume } from 'sluice/lambda';
import { addToRevenue } from '../business/analytics.ts';
import { orders } from '../topology.ts';
import { outside, required } from './outside.ts';

/** The function of the subscriber `analytics`. */
export const handler = consume(orders, 'analytics', addToRevenue(required('REVENUE_TABLE'), outside));
