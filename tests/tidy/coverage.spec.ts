import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './repo';

interface Coverage {
  readonly sections: readonly {
    readonly rows: readonly { readonly id: string; readonly state: string; readonly tests: readonly { readonly title: string }[] }[];
  }[];
  readonly unknown: readonly string[];
  readonly totals: Readonly<Record<string, number>>;
}

interface CaseCoverage {
  readonly rows: readonly { readonly id: string; readonly state: string }[];
  readonly unknown: readonly string[];
  readonly totals: Readonly<Record<string, number>>;
}

// Citations are put together from halves so that this spec proves nothing by itself.
const row = (id: string): string => ['con', id].join(':');
const rows = {
  'ABC-01': 'cited',
  'ABC-02': 'later',
  'ABC-03': 'neither',
  'ABC-04': 'cited, a part waits',
  'ABC-05': 'not of this issue',
  'ABC-06': 'in a table',
};

function plant(root: string, citedToo = ''): void {
  mkdirSync(join(root, 'docs', 'spec'), { recursive: true });
  const write = (name: string, value: unknown): void => writeFileSync(join(root, 'docs', 'spec', name), JSON.stringify(value));
  const proof = Object.fromEntries(Object.keys(rows).map((id) => [id, 'R']));
  write('rows.json', { con: { document: 'x', sections: [{ title: '1', rows, proof }] } });
  write('scope.json', { issue: 9, groups: { all: ['ABC-01', 'ABC-02', 'ABC-03', 'ABC-04', 'ABC-06'].map(row) } });
  write('later.json', {
    paths: { LTR: 'later' },
    rows: { [row('ABC-02')]: { waits: ['LTR'], why: '' }, [row('ABC-04')]: { waits: ['LTR'], part: true, why: '' } },
  });
  const text = `describe('a (${row('ABC-04')})', () => { it('b: c (${row('ABC-01')})', () => {}); it('d', () => {}); });
    // ${row('ABC-03')} in a comment proves nothing, nor does a range ${row('ABC-02')}..05
    it.each([['${row('ABC-06')}']])('%s', () => {}); ${citedToo}`;
  writeFileSync(join(root, 'a.spec.ts'), text);
}

function coverage(root: string): { status: number | null; found: Coverage } {
  const run = spawnSync(process.execPath, [join(ROOT, 'tools', 'coverage-spec.mjs'), '--json', '--root', root], { encoding: 'utf8' });
  return { status: run.status, found: JSON.parse(run.stdout) as Coverage };
}

describe('coverage of the requirement rows', () => {
  const root = mkdtempSync(join(tmpdir(), 'connector-coverage-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('told apart: proven, proven in part, later, neither, and of no concern; titles and their tables cite, comments do not', () => {
    plant(root);
    const { status, found } = coverage(root);
    expect(Object.fromEntries(found.sections.flatMap((section) => section.rows.map((one) => [one.id.slice(4), one.state])))).toEqual({
      'ABC-01': 'proven',
      'ABC-02': 'later',
      'ABC-03': 'open',
      'ABC-04': 'part',
      'ABC-05': 'elsewhere',
      'ABC-06': 'proven',
    });
    expect(found.sections[0]?.rows[3]?.tests.map((test) => test.title)).toEqual([
      `a (${row('ABC-04')}) › b: c (${row('ABC-01')})`,
      `a (${row('ABC-04')}) › d`,
    ]);
    expect(found.totals).toMatchObject({ scope: 5, proven: 2, part: 1, later: 1, open: 1 });
    expect(status).toBe(0);
  });

  it('refused: a title that cites a row which does not exist', () => {
    plant(root, `it('x (${row('ABC-99')})', () => {});`);
    const { status, found } = coverage(root);
    expect(found.unknown).toEqual([row('ABC-99')]);
    expect(status).toBe(1);
  });

  it('told apart: cases that are covered, covered in part, later, neither, and of no concern; one that does not exist is refused', () => {
    plant(root);
    const id = (number: string): string => ['PUB', 'ABC', number].join('-');
    const other = ['PUB', 'XYZ', '01'].join('-');
    const cases = { ...Object.fromEntries(['01', '02', '03', '04'].map((number) => [id(number), number])), [other]: 'other' };
    const waits = { [id('02')]: 'a part', [id('03')]: 'whole' };
    writeFileSync(join(root, 'docs', 'spec', 'cases.json'), JSON.stringify({ issue: 9, areas: ['ABC'], cases, waits }));
    const write = (title: string): void => writeFileSync(join(root, 'a.spec.ts'), `it('x (${title})', () => {}); // ${id('04')}`);
    const told = (): { status: number | null; found: CaseCoverage } => {
      const args = [join(ROOT, 'tools', 'coverage-spec.mjs'), '--cases', '--json', '--root', root];
      const run = spawnSync(process.execPath, args, { encoding: 'utf8' });
      return { status: run.status, found: JSON.parse(run.stdout) as CaseCoverage };
    };
    write(`${id('01')}, ${id('02')}`);
    const { status, found } = told();
    expect(found.rows.map(({ state }) => state)).toEqual(['covered', 'part', 'later', 'open', 'elsewhere']);
    expect([status, found.totals]).toEqual([0, { covered: 1, part: 1, later: 1, open: 1 }]);
    write(id('99'));
    expect(told()).toMatchObject({ status: 1, found: { unknown: [id('99')] } });
  });
});
