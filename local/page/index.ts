export { dashboardRoutes } from './dashboards/routes.ts';
export type * from './dashboards/view.ts';
export { type PageHandler, pageRoutes } from './routes.ts';
export type * from './state.ts';
