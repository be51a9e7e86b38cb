export { createIamStore, type IamStore, type RoleView } from '../iam/index.ts';
