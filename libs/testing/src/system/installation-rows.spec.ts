import { createHash, randomUUID } from 'node:crypto';
import { OperationId } from '@connector/kernel/ids';
import { contentOfOrganization } from './installation-rows';
import { differences } from './same-rows';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

interface Made {
  readonly organization: string;
  readonly rows: Record<string, Record<string, unknown>[]>;
}

/** Some rows of one installation, with ids, times and digests of their own. */
function made(organization: string): Made {
  const [installation, lineage, command] = [randomUUID(), randomUUID(), OperationId.mint()];
  const [binding, next] = [`1${randomUUID()}`, `2${randomUUID()}`];
  const key = { organization_id: bytes(organization), app_installation_id: bytes(installation) };
  const document = JSON.stringify({ organization_id: organization, app_installation_id: installation, binding_id: binding });
  const tuple = digestOf(`tuple ${document}`);
  const attempt = { ...key, attempt: '1' };
  return {
    organization,
    rows: {
      cat_lineage: [{ organization_id: bytes(organization), lineage_id: bytes(lineage), catalog_revision: '1' }],
      cat_installation_identity: [{ ...key, app_id: bytes('dev.example.app'), minted_at: `${Math.random()}` }],
      cat_installation: [{ ...attempt, state: bytes('ACTIVE'), active_attempt: '1', activation_epoch: '1' }],
      cat_binding: [binding, next].map((id) => ({ ...key, binding_id: bytes(id), capability_id: bytes('dev.example.app.run.v1') })),
      cat_binding_state: [
        { ...key, binding_id: bytes(next), state: bytes('ACTIVE') },
        { ...key, binding_id: bytes(binding), state: bytes('DRAINING') },
      ],
      cat_candidate: [
        {
          ...{ ...attempt, document: bytes(document), document_digest: digestOf(document), tuple_digest: tuple },
          ...{ command_id: OperationId.bytes(command), expected_prior_epoch: '0', at: `${Math.random()}` },
        },
      ],
      cat_publication_step: [
        { ...attempt, step: bytes('opened'), entry: bytes(JSON.stringify({ command_id: command })), document: null },
        { ...attempt, step: bytes('compiled'), entry: bytes(JSON.stringify({ tuple_digest: `sha256:${tuple.toString('hex')}` })) },
      ],
      cat_revision: [{ ...attempt, lineage_id: bytes(lineage), catalog_revision: '1', tuple_digest: tuple }],
    },
  };
}

const contentOf = ({ organization, rows }: Made) => {
  const sql = (text: string) => Promise.resolve(rows[/FROM (\w+)/.exec(text)?.[1] ?? ''] ?? []);
  return contentOfOrganization({ sql }, organization);
};
const apart = async (one: Made, other: Made) => differences(await contentOf(one), await contentOf(other));

describe('rows of an installation', () => {
  it('same: two that differ in minted ids, in times and in the digests of what holds such ids', async () => {
    expect(await apart(made('organization-1'), made('organization-2'))).toEqual([]);
    expect((await contentOf(made('organization-1')))['cat_publication_step']?.join()).toContain('<command of dev.example.app 1>');
  });

  const PLANTED: readonly (readonly [string, string, (rows: Record<string, unknown>[]) => unknown])[] = [
    ['another state', 'cat_installation', ([row]) => Object.assign(row as object, { state: bytes('FAILED') })],
    ['a step that is missing', 'cat_publication_step', (rows) => rows.pop()],
    ['a step that came twice', 'cat_publication_step', (rows) => rows.push({ ...rows[0] })],
    ['a further attempt', 'cat_candidate', (rows) => rows.push({ ...rows[0], attempt: '2' })],
    ['a further revision', 'cat_revision', (rows) => rows.push({ ...rows[0], catalog_revision: '2' })],
    [
      'a revision of a digest that is no candidate’s',
      'cat_revision',
      ([row]) => Object.assign(row as object, { tuple_digest: digestOf('') }),
    ],
    ['an id that nobody minted', 'cat_binding', ([row]) => Object.assign(row as object, { app_installation_id: bytes('nobody') })],
    [
      'the state of another binding of the same capability',
      'cat_binding_state',
      (rows) => [rows[0], rows[1]].forEach((row, at) => Object.assign(row as object, { state: bytes(['DRAINING', 'ACTIVE'][at] ?? '') })),
    ],
    ['a text in a document', 'cat_candidate', ([row]) => Object.assign(row as object, { document: bytes('{}') })],
  ];
  it.each(PLANTED)('apart: %s', async (_name, table, plant) => {
    const planted = made('organization-2');
    plant(planted.rows[table] ?? []);
    expect((await apart(made('organization-1'), planted)).map((sentence) => sentence.split(':')[0])).toContain(table);
  });
});
