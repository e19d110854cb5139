import { broken, type Planted } from './planted';

const attempt = (over: object = {}) => ({ organization_id: 'o', attempt_id: 'one', app_id: 'a', app_installation_id: 'i', ...over });
const reader = (open_app_id: string | null, reader_id = 'r') => ({ organization_id: 'o', app_id: 'a', reader_id, open_app_id });
const INSTALLED: Planted = { installations: [{ organization_id: 'o', app_installation_id: 'i', state: 'ACTIVE', live_app_id: 'a' }] };
const CONVERTED: Planted = { ...INSTALLED, conversions: [attempt()], legacyReaders: [reader('a')] };
const RETIRED: Planted = { ...CONVERTED, legacyReaders: [reader(null)] };
const DELETION: Planted = { legacyDeletions: [{ organization_id: 'o', app_id: 'a' }] };
const ours = (before: Planted, after: Planted): readonly string[] =>
  broken(before, after).filter((id) => ['CONV-10', 'COEX-05'].includes(id));

describe('invariants of a conversion, each planted', () => {
  it.each<[string, Planted, Planted]>([
    ['a conversion with its ledger', {}, CONVERTED],
    [
      'a failure beside it',
      CONVERTED,
      { ...CONVERTED, conversions: [attempt(), attempt({ attempt_id: 'two', app_installation_id: null })] },
    ],
    ['a reader goes', CONVERTED, RETIRED],
    ['a deletion when all are gone', RETIRED, { ...RETIRED, ...DELETION }],
  ])('keeps: %s', (_name, before, after) => expect(ours(before, after)).toEqual([]));

  it.each<[string, string, Planted, Planted]>([
    ['CONV-10', 'a second success', CONVERTED, { ...CONVERTED, conversions: [attempt(), attempt({ attempt_id: 'two' })] }],
    ['CONV-10', 'an installation that is not there', {}, { ...CONVERTED, installations: [] }],
    ['CONV-10', 'another installation', CONVERTED, { ...CONVERTED, conversions: [attempt({ app_installation_id: null })] }],
    ['CONV-10', 'an attempt that is gone', CONVERTED, { ...CONVERTED, conversions: [] }],
    ['COEX-05', 'a reader that comes later', CONVERTED, { ...CONVERTED, legacyReaders: [reader('a'), reader('a', 'new')] }],
    ['COEX-05', 'a reader that comes back', RETIRED, CONVERTED],
    ['COEX-05', 'a deletion beside a reader', CONVERTED, { ...CONVERTED, ...DELETION }],
  ])('%s: %s', (id, _name, before, after) => expect(ours(before, after)).toContain(id));
});
