import { consume } from 'sluice/lambda';
import { assess } from '../business/fraud.ts';
import { orders } from '../topology.ts';
import { outside, required } from './outside.ts';

/** The function of the subscriber `fraud`. */
export const handler = consume(orders, 'fraud', assess(required('FRAUD_SERVICE_URL'), outside), {
  concurrency: 20,
});
