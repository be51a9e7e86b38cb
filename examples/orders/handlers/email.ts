import { consume } from 'sluice/lambda';
import { confirm } from '../business/email.ts';
import { orders } from '../topology.ts';
import { outside, required } from './outside.ts';

/** The function of the subscriber `email`. */
export const handler = consume(orders, 'email', confirm(required('MAIL_SERVER_URL'), outside), {
  concurrency: 20,
});
