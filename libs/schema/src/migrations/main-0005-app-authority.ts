import type { Migration } from './migration';
import { artifacts } from './main-0005-app-authority/artifacts';
import { installations } from './main-0005-app-authority/installations';
import { membership } from './main-0005-app-authority/membership';
import { packs } from './main-0005-app-authority/packs';
import { registry } from './main-0005-app-authority/registry';
import { security } from './main-0005-app-authority/security';

export const mainAppAuthority: Migration = {
  revision: 5,
  name: 'app-authority',
  breaking: true,
  statements: [...artifacts, ...installations, ...membership, ...packs, ...registry, ...security],
};
