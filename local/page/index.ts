export { type PageHandler, pageRoutes } from './routes.ts';
export type * from './state.ts';
