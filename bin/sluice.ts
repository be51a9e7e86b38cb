import { defineMessaging } from 'sluice';

console.log(typeof defineMessaging);
