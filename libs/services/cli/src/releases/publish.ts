import { digestsOf } from '@connector/catalog/contract/artifact-registry';
import { attestation, attestationOf } from '@connector/catalog/model/attestation';
import type { Api } from '../api';
import { CliFailure, EXIT } from '../exit';
import type { Members } from '../members';
import { checkLocalRelease, faultLines, type LocalRelease } from './local-release';
import type { SigningKey } from './signing-key';

const base64 = (bytes: Buffer): string => bytes.toString('base64');

/**
 * Checks the whole release first, so that nothing of a faulty one is sent; then its blobs, which are known by their content, and the signed
 * release last. Cut off anywhere, the same again goes on.
 */
export async function publishRelease(api: Api, local: LocalRelease, key: SigningKey, asking: Members): Promise<Members> {
  const check = checkLocalRelease(local);
  if (check.kind === 'faulty') {
    const { faults, more } = check;
    throw new CliFailure(EXIT.usage, faultLines(local, check), { errors: faults, errors_more: more });
  }
  for (const blob of local.blobs.values()) {
    const { componentDigest, rawSha256 } = digestsOf(blob);
    const named = { component_kind: blob.componentKind, component_format_version: blob.formatVersion };
    await api.post('/v1/releases/blobs', {
      ...{ content_digest: componentDigest, raw_sha256: rawSha256, ...named },
      bytes_base64: base64(blob.bytes),
    });
  }
  const { bytes: statement } = attestation.build(attestationOf(check.release, key.keyId));
  return api.confirm('/v1/releases', {
    ...{ manifest_base64: base64(local.manifest), bundle_base64: base64(local.bundle) },
    ...{ statement_base64: base64(statement), signature_base64: base64(key.sign(attestation.separator, statement)) },
    ...asking,
  });
}
