import { legacyRecord } from './fixtures/conversion';
import { legacyPacksConform } from './legacy-conformance';
import { LegacyWorldForTests } from './legacy-world';

legacyPacksConform('legacy world (test only)', () => {
  const packs = new LegacyWorldForTests();
  const record = legacyRecord('org-1');
  const other = legacyRecord('org-1', { name: 'issue-tracker', category: 'integration' }, { packInstallId: 'issue-tracker-1' });
  packs.install(record);
  packs.install(other);
  const open = (one: typeof record): readonly boolean[] =>
    [packs.install(one), packs.reapply(one), packs.upgrade(one, one.components ?? [])].map((answer) => answer === 'written');
  return { packs, record, other, open, silence: () => void (packs.available = false) };
});
