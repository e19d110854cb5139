import { Digest } from '@connector/kernel/digest';
import { exampleRelease } from '@connector/testing/fixtures/app-release';
import type { AppManifest } from '../manifest';
import type { AskedInstallation } from './asked';
import { type ActiveApp, activeFaults } from './check-dependencies';

const BASE = 'io.nexuscrm.base-objects';
const manifest = exampleRelease().manifest as unknown as AppManifest;
const release = Digest.sha256(Buffer.from('base'));
const asked: AskedInstallation = {
  appId: 'io.nexuscrm.sfcrm',
  appReleaseDigest: Digest.sha256(Buffer.from('sfcrm')),
  dependencies: [{ alias: 'base', appReleaseDigest: release }],
  grants: [],
  handlerBindings: [],
  frontendReleaseDigest: null,
};
const active = (appId: string, ...dependsOn: string[]): ActiveApp => ({ appId, appReleaseDigest: release, dependsOn });
const codes = (apps: readonly ActiveApp[]): readonly string[] => activeFaults(asked, manifest, apps).map(({ code }) => code);

describe('resolved dependencies', () => {
  it('none: the dependency is ACTIVE as the named release, and nothing leads back', () => {
    expect(codes([active(BASE, 'io.nexuscrm.more'), active('io.nexuscrm.more', BASE)])).toEqual([]);
  });

  it.each([
    ['at once', [active(BASE, 'io.nexuscrm.sfcrm')]],
    ['over another App', [active(BASE, 'io.nexuscrm.more'), active('io.nexuscrm.more', 'io.nexuscrm.sfcrm')]],
  ])('DEPENDENCY_CYCLE: cat:A-15 cat:MAN-27 what is ACTIVE leads back to the App %s', (_how, apps) => {
    expect(codes(apps)).toEqual(['DEPENDENCY_CYCLE']);
  });
});
