import { REVISIONS, type Revision } from '@connector/kernel/revisions';
import { schemaRefusal } from './schema-guard';

const known: readonly Revision[] = REVISIONS.main;
const next = known.length + 1;

describe('schema guard', () => {
  it('served: exactly the revisions that this code knows, and a newer one that breaks nothing', () => {
    expect(schemaRefusal('main', known)).toBeUndefined();
    expect(schemaRefusal('main', [...known, { revision: next, name: 'wider', breaking: false }])).toBeUndefined();
  });

  it('refused: a breaking revision that this code does not know, with expected, found and what to do', () => {
    const reason = schemaRefusal('main', [...known, { revision: next, name: 'narrower', breaking: true }]);
    expect(reason).toBe(
      `the main database has the breaking revision ${next} (narrower): expected revision ${known.length}, found ${next}. Start a newer release`,
    );
  });

  it('refused: a revision that this code needs and the database lacks, also under a newer one', () => {
    const reason = 'the journal database lacks revision 1 (first-path): expected revision 1, found none. Run apps/migrate of this release';
    expect(schemaRefusal('journal', [])).toBe(reason);
    expect(schemaRefusal('journal', [{ revision: 2, name: 'wider', breaking: false }])).toMatch(/lacks revision 1 .* found 2/);
  });
});
