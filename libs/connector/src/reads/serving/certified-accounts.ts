import type { AccountName } from '@connector/kernel/brand';
import { invariant } from '@connector/kernel/faults';
import type { OperationId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import { parseStrict } from '@connector/kernel/strict-json';
import type { Db } from '@connector/platform/db/db';
import { conGenesisCertificate } from '@connector/schema/connector/serving';
import { isAccountName } from '../../model/serving/account-name';
import { SERVICE_KEY } from '../../model/serving/work';

const CERTIFICATE = readRows(conGenesisCertificate, ['operation_id', 'accounts'], 'WHERE service_key = :service_key');

/** The accounts that this operation began the service with; undefined where no certificate of it is there (yet). */
export async function certifiedAccounts(db: Db, operationId: OperationId): Promise<readonly AccountName[] | undefined> {
  const certificate = await db.readOne(CERTIFICATE, { service_key: SERVICE_KEY });
  if (certificate?.operation_id !== operationId) return undefined;
  const parsed = parseStrict(certificate.accounts);
  const named: readonly unknown[] = parsed.ok && Array.isArray(parsed.value) ? parsed.value : [];
  const accounts = named.filter((name): name is AccountName => typeof name === 'string' && isAccountName(name));
  invariant(accounts.length > 0 && accounts.length === named.length, 'HOUSE:connector:CertificateBroken', 'its accounts cannot be read');
  return accounts;
}
