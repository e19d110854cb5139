import type { CredentialGenerationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import {
  authored,
  enabledCredential,
  granted,
  isolated,
  registered,
  sending,
  terminated,
  type HeldPermit,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { abandonablePermits } from './abandonable-permits';

let schema: TestSchema;
let served: ServedAccount;
let holder: TestHolder;
let credential: CredentialGenerationId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  holder = await registered(schema);
  credential = await enabledCredential(schema);
  for (const sequence of [1, 2]) await authored(schema, served, sequence, credential);
});
afterAll(() => schema.close());

const found = async (limit = 500): Promise<number> => (await abandonablePermits(schema.db, limit)).length;

describe('abandonable permits', () => {
  it('found: con:ABN-P where both receipts are of the process that holds the permit, up to the limit', async () => {
    const held = await granted(schema.db, served, holder);
    await terminated(schema, holder.generationId);
    await isolated(schema, holder.generationId);
    expect((await abandonablePermits(schema.db, 500)).map((row) => row.permit_id)).toEqual(held.map(({ permitId }) => permitId).sort());
    expect(await found(1)).toBe(1);
  });

  it.each([terminated, isolated])('none: con:ABN-X one receipt alone', async (receipt) => {
    await granted(schema.db, served, holder);
    await receipt(schema, holder.generationId);
    expect(await found()).toBe(0);
  });

  it('none: con:OPEN-29 the receipts of an earlier process of the same name', async () => {
    const next = await registered(schema, 'egress-1', 6n);
    await granted(schema.db, served, next);
    await terminated(schema, holder.generationId);
    await isolated(schema, holder.generationId);
    expect(await found()).toBe(0);
  });

  it('found: con:REV-O a granted permit whose credential fence moved, whoever holds it; one that is sending is not', async () => {
    const [waits, flies] = (await granted(schema.db, served, holder)) as [HeldPermit, HeldPermit];
    await sending(schema.db, holder, credential, [flies]);
    await schema.sql('UPDATE con_credential_gate SET fence = fence + 1');
    expect((await abandonablePermits(schema.db, 500)).map((row) => row.permit_id)).toEqual([waits.permitId]);
  });

  it('none: a permit that is closed', async () => {
    await granted(schema.db, served, holder);
    await terminated(schema, holder.generationId);
    await isolated(schema, holder.generationId);
    await schema.sql("UPDATE con_dispatch_permit SET state = 'returned', open_account = NULL");
    expect(await found()).toBe(0);
  });
});
