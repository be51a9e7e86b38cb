import { consume } from 'sluice/lambda';
import { charge } from '../business/payments.ts';
import { orders } from '../topology.ts';
import { outside, required } from './outside.ts';

/** The function of the subscriber `payments`. */
export const handler = consume(orders, 'payments', charge(required('PAYMENT_PROVIDER_URL'), outside));
