import type { Migration } from './migration';
import { packs } from './main-0008-pack-audit/packs';

export const mainPackAudit: Migration = { revision: 8, name: 'pack-audit', breaking: false, statements: [...packs] };
