import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GenerationJournal } from './generation-journal';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'journal-'));
  path = join(dir, 'deep', 'supervisor.jsonl');
});
afterEach(() => rmSync(dir, { recursive: true }));

describe('generation journal', () => {
  it('kept: a generation whose supervisor died is there for the next one, under the same receipt ids (con:TERM-F, con:ISO-F)', () => {
    const born = new GenerationJournal(path).begin();
    expect(new GenerationJournal(path).unproved).toEqual([born]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('forgotten: once both receipts stand, and its line is gone at the next start', () => {
    const journal = new GenerationJournal(path);
    const [first, second] = [journal.begin(), journal.begin()];
    journal.proved(first.generation);
    expect(journal.unproved).toEqual([second]);
    expect(new GenerationJournal(path).unproved).toEqual([second]);
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(2);
  });

  it('let be: a last line that a crash cut off, whose process never began', () => {
    const journal = new GenerationJournal(path);
    const whole = journal.begin();
    appendFileSync(path, '{"kind":"starting","gen');
    expect(new GenerationJournal(path).unproved).toEqual([whole]);
  });
});
