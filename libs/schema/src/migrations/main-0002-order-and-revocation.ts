import type { Migration } from './migration';
import { control } from './main-0002-order-and-revocation/control';
import { inbound } from './main-0002-order-and-revocation/inbound';
import { ordering } from './main-0002-order-and-revocation/ordering';
import { outbound } from './main-0002-order-and-revocation/outbound';

export const mainOrderAndRevocation: Migration = {
  revision: 2,
  name: 'order-and-revocation',
  breaking: true,
  statements: [...inbound, ...ordering, ...outbound, ...control],
};
