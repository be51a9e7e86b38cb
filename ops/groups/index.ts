export type { TableClient } from './client.ts';
export { GroupNotMarked, liftGroup } from './lift.ts';
export { listGroups } from './list.ts';
export type { GroupLetter, GroupMarker } from './marker.ts';
