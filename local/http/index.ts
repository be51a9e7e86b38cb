export { createEndpoint, type Endpoint, type EndpointOptions } from './endpoint.ts';
export { isLoopback } from './guard.ts';
export { queuePath } from './regions.ts';
export type { Route, Routes } from './routes.ts';
export { warmUp } from './warm.ts';
