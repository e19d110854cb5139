import { renderOpened } from './journal';

const opened = (end: object) => renderOpened({ installation: 'i', attempt: '1', end }, 'org-1').join('\n');
const RESUME = 'connector installs resume i --organization org-1';

describe('opened attempt', () => {
  it('waiting: for whom, and the command that goes on from the step where it rests', () => {
    expect(opened({ kind: 'waiting', for: 'security' })).toMatch(/waits for security\./);
    expect(opened({ kind: 'waiting', for: 'security' })).toContain(RESUME);
  });

  it('published: nothing is left to be resumed', () => {
    expect(opened({ kind: 'published', lineage: { activation_epoch: '1', catalog_revision: '1' } })).not.toContain(RESUME);
  });
});
