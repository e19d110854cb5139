import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefectFault } from '@connector/kernel/faults';
import { finding, type FindingFacts } from './finding';
import type { Reason } from './reason';
import { REASONS, type ReasonCode } from './reasons';

const ALL: readonly (readonly [string, Reason])[] = Object.entries(REASONS);
const SPECS = ['explain.db.spec.ts', 'explain-order.db.spec.ts', 'explain-outbound.db.spec.ts', 'explain-serving.db.spec.ts'];
const TESTS = SPECS.map((file) => readFileSync(join(__dirname, '../../reads/explain', file), 'utf8')).join('\n');

describe('reason catalogue', () => {
  it.each(ALL)('%s: a test brings a row into it, and begins with its name (con:LIV-02, con:LIV-12)', (code) => {
    expect(TESTS).toMatch(new RegExp(`['\\s,]${code}[:,\\s]`));
  });

  it('permitted only: who refuses or waits for an owner offers evidence, a corrected generation, or the listed opposite move (con:LIV-06)', () => {
    const heals = ['append_evidence', 'mint_upstream', 'declare_unsupported', 'transition', 'wait'];
    const without = ALL.filter(([, { class: held, may }]) => held !== 'machine' && !may.some(({ kind }) => heals.includes(kind)));
    expect(without.map(([code]) => code)).toEqual([]);
  });

  it('never: no act and no headline speaks of a retry, a timeout or a rollback as a way on (con:LIV-08, con:LIV-09)', () => {
    const said = ALL.flatMap(([code, { headline, may }]) => [headline, ...may.map(({ say }) => say)].map((text) => `${code}: ${text}`));
    expect(said.filter((text) => /\b(retry|time-?out|rollback|roll back|force|fail(ed|s)?|stuck)\b/i.test(text))).toEqual([]);
  });

  it('filled: every place of headline and commands gets its value, and a missing one is our mistake', () => {
    const facts = {
      subject: 'rcp_x',
      since: '2026-01-01T00:00:00.000000Z',
      alertFrom: null,
      basis: null,
      evidenceId: 'rcp_x',
    } as unknown as FindingFacts;
    const made = finding('EXTRACTION_REFUSED', { items: 'Item #1', message: 'no id', refusal: 'x', receipt: 'rcp_x' }, facts);
    expect(made.headline).toBe('Item #1 of this delivery was refused by the pack: no id (x).');
    expect(made.may.map(({ command }) => command)).toEqual([null, 'connector lineage rcp_x']);
    expect(() => finding('EXTRACTION_REFUSED' as ReasonCode, {} as never, facts)).toThrow(DefectFault);
  });
});
