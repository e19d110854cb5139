import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { attestation, attestationOf } from '@connector/catalog/model/attestation';
import { type AppRelease, checkRelease } from '@connector/catalog/model/release';
import { metadataBundleDigest } from '@connector/catalog/model/release-digests';
import { KeyId, signedBytes } from '@connector/catalog/model/signing';
import { DefectFault, invariant } from '@connector/kernel/faults';
import { jcs } from '@connector/kernel/jcs';
import type { ServiceClient } from '@connector/platform/http/service-client';
import type { SecretRef } from '@connector/platform/secrets/secret-backend';
import type { SecretStore } from '../secret-store';
import { ask, expectKind, textOf } from './ask';
import { SCOPE, WORKBENCH } from './world';

const SIGNING_KEY: SecretRef = { path: `publishers/${WORKBENCH.publisher}/signing-key`, version: '1' };
/** A key is accepted from when the database says; a machine's own key has no earlier life that could matter. */
const VALID_FROM = '2001-01-01T00:00:00.000000Z';

const LOOK_EVERY_MS = 100;
/** Twenty seconds: as long as a start waits for anything that only has to begin. */
const LOOKS_MAX = 200;

/** The neutral App of a fresh machine (decisions 12.2): no component, one handler that the Runtime serves. The same bytes on every machine. */
export function workbenchRelease(): AppRelease {
  const bundle = jcs({ schema_version: 'nexuscrm.metadata-bundle/v1', components: [] });
  const manifest = jcs({
    schema_version: 'nexuscrm.app-manifest/v1',
    app_id: WORKBENCH.app,
    publisher_id: WORKBENCH.publisher,
    semantic_version: WORKBENCH.version,
    metadata_bundle_digest: metadataBundleDigest(bundle),
    dependencies: [],
    owned_namespaces: [],
    required_protocols: [],
    required_engine_capabilities: [],
    provided_capabilities: [
      {
        capability_id: WORKBENCH.capability,
        kind: 'service-handler',
        handler_ref: WORKBENCH.handler,
        required_runtime_capabilities: [WORKBENCH.runtimeCapability],
      },
    ],
    frontend_compatibility: { mode: 'none' },
  });
  const checked = checkRelease({ manifest, bundle, blobOf: () => undefined });
  invariant(checked.kind === 'release', 'HOUSE:local:WorkbenchFaulty', 'the App that ships breaks a rule');
  return checked.release;
}

/** Minted into the secret store once, and read from there to sign; only its public half and signatures go anywhere. */
export async function signingKey(store: SecretStore): Promise<KeyObject> {
  return createPrivateKey(await store.ensure(SIGNING_KEY, mintSigningKey));
}

const mintSigningKey = (): string => generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();

function publicBytes(key: KeyObject): Buffer {
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  invariant(typeof x === 'string', 'HOUSE:local:SigningKey', 'the signing key of the store is no Ed25519 key');
  return Buffer.from(x, 'base64url');
}

/** Publisher, key, release, installation, each of which may be asked for again; the id that Catalog gave the installation. */
export async function installWorkbench(catalog: ServiceClient, store: SecretStore): Promise<string> {
  const key = await signingKey(store);
  const release = workbenchRelease();
  await registered(catalog, publicBytes(key));
  await published(catalog, release, key);
  return installed(catalog, release);
}

async function registered(catalog: ServiceClient, publicKey: Buffer): Promise<void> {
  const publisher = `/v1/publishers/${WORKBENCH.publisher}`;
  await expectKind(catalog, publisher, {}, ['registered', 'already-registered'], { method: 'PUT', key: 'demo-publisher' });
  const body = { public_key_base64: publicKey.toString('base64'), valid_from: VALID_FROM };
  await expectKind(catalog, `${publisher}/keys`, body, ['added', 'already-added'], { key: `demo-key-${KeyId.of(publicKey)}` });
}

async function published(catalog: ServiceClient, release: AppRelease, key: KeyObject): Promise<void> {
  const keyId = KeyId.of(publicBytes(key));
  const { bytes: statement } = attestation.build(attestationOf(release, keyId));
  const signature = sign(null, signedBytes(attestation.separator, statement), key);
  const body = {
    manifest_base64: release.manifestBytes.toString('base64'),
    bundle_base64: release.bundleBytes.toString('base64'),
    attestation: { statement_base64: statement.toString('base64'), signature_base64: signature.toString('base64') },
  };
  await expectKind(catalog, '/v1/app-releases', body, ['registered', 'already-registered'], { key: `demo-release-${keyId}` });
}

/** What is chosen for the App wherever it is installed on a machine. */
export function installBody({ releaseDigest }: AppRelease) {
  const { workload } = SCOPE;
  return {
    app_id: WORKBENCH.app,
    app_release_digest: releaseDigest,
    dependencies: [],
    grants: [{ workload_id: workload, capabilities: [WORKBENCH.runtimeCapability] }],
    handler_bindings: [{ capability_id: WORKBENCH.capability, workload_id: workload, service_release_digest: WORKBENCH.serviceRelease }],
  };
}

async function installed(catalog: ServiceClient, release: AppRelease): Promise<string> {
  const place = `/v1/orgs/${SCOPE.organization}/app-installations`;
  const { body: answer } = await expectKind(catalog, place, installBody(release), ['opened', 'live-installation-exists'], {
    key: 'demo-install',
  });
  const installation = textOf(answer, 'installation');
  await active(catalog, `${place}/${installation}`);
  return installation;
}

/** Whoever opened the publication, the catalog takes it to its end by itself as soon as the owners answer. */
async function active(catalog: ServiceClient, place: string): Promise<void> {
  for (let looks = 1; ; looks += 1) {
    const state = textOf((await ask(catalog, 'GET', place)).body, 'state');
    if (state === 'ACTIVE') return;
    if (state !== 'PREPARING' || looks === LOOKS_MAX) throw new DefectFault('HOUSE:local:NotInstalled', `the installation is ${state}`);
    await pause(LOOK_EVERY_MS);
  }
}
