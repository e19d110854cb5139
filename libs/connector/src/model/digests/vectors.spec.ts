import type { Digest } from '@connector/kernel/digest';
import type { Digested } from '@connector/kernel/digest-profile';
import { uuidBytes } from '@connector/kernel/document';
import type { BindingKind } from '@connector/kernel/document-binding';
import { jcs, type Json } from '@connector/kernel/jcs';
import { vectorEpoch } from '@connector/testing/vectors/serving-epoch';
import { connectorVectors, profiledVector, type ProfiledVector } from '@connector/testing/vectors/load';
import { bindingIdentityDigest, bindingRowDigest } from './binding';
import { dispatchBindingDigest } from './dispatch-binding';
import { effectGenerationDigest, effectRootDigest, logicalEffectDigest } from './effect';
import { executionDigest, executionInputDigest, executionRefDigest, runtimeCommandDigest } from './execution';
import { componentDigest, eventDigest, projectionDigest, receiptPayloadDigest } from './inbound';
import { orderingContractDigest, routePolicyDigest } from './policy';
import { requestDigest } from './request';
import { accountSetDigest, applicationScopeDigest, servingScopeDigest } from './scope';
import { servingEpochDigest } from './serving-epoch';

type Inputs = ProfiledVector['inputs'];
const text = (inputs: Inputs, field: string): string => inputs[field] as string;
const textOrNull = (inputs: Inputs, field: string): string | null => inputs[field] as string | null;
const digest = (inputs: Inputs, field: string): Digest => inputs[field] as Digest;
const uuid = (inputs: Inputs, field: string): Buffer => uuidBytes(text(inputs, field));
const uuidOrNull = (inputs: Inputs, field: string): Buffer | null => (inputs[field] === null ? null : uuid(inputs, field));
const hex = (inputs: Inputs, field: string): Buffer => Buffer.from(text(inputs, field), 'hex');
const json = (inputs: Inputs, field: string): Json => inputs[field] as Json;
const scope = (inputs: Inputs) => ({
  organization: text(inputs, 'organization_id'),
  installation: text(inputs, 'app_installation_id'),
  workload: text(inputs, 'authorized_workload_id'),
});

const FROM_PARTS: Readonly<Record<string, (inputs: Inputs) => Digested>> = {
  'serving-scope': (v) => servingScopeDigest({ ...scope(v), environment: text(v, 'environment_id'), service: text(v, 'service_id') }),
  'application-scope': (v) => applicationScopeDigest(scope(v)),
  'account-set': (v) => accountSetDigest(v.accounts as string[]),
  'binding-identity': (v) =>
    bindingIdentityDigest(scope(v), {
      kind: text(v, 'kind') as BindingKind,
      ownerPack: text(v, 'owner_pack'),
      packInstallation: text(v, 'pack_installation_id'),
      businessKey: text(v, 'business_key'),
      definitionVersion: text(v, 'definition_version'),
    }),
  'binding-row': (v) => bindingRowDigest(uuid(v, 'epoch_id'), v.ordinal as number, digest(v, 'binding_identity')),
  'serving-epoch': () => {
    const made = servingEpochDigest(vectorEpoch());
    if (made.kind === 'refused') throw new Error(made.reason);
    return made;
  },
  'receipt-payload': (v) => receiptPayloadDigest(hex(v, 'body_hex')),
  component: (v) => componentDigest(uuid(v, 'receipt_id'), v.ordinal as number, jcs(json(v, 'item'))),
  event: (v) =>
    eventDigest({
      account: text(v, 'account'),
      sourceEventKey: hex(v, 'source_event_key_hex'),
      replayRequestId: uuidOrNull(v, 'replay_request_id'),
    }),
  projection: (v) =>
    projectionDigest({
      eventId: hex(v, 'event_id_hex'),
      routeIdentity: digest(v, 'route_identity'),
      epochDigest: digest(v, 'serving_epoch_digest'),
      windowId: uuidOrNull(v, 'window_id'),
    }),
  execution: (v) => executionDigest(hex(v, 'projection_id_hex'), v.generation as number),
  'execution-input': (v) => executionInputDigest(Buffer.from(text(v, 'input_utf8'))),
  'execution-ref': (v) =>
    executionRefDigest({
      executionId: uuid(v, 'execution_id'),
      packGenerationStorageId: text(v, 'pack_generation_storage_id'),
      epochDigest: digest(v, 'serving_epoch_digest'),
      kind: text(v, 'kind') as BindingKind,
      businessKey: text(v, 'business_key'),
      definitionVersion: text(v, 'definition_version'),
      inputDigest: digest(v, 'input_digest'),
      replayMode: textOrNull(v, 'replay_mode'),
    }),
  'runtime-command': (v) => runtimeCommandDigest(digest(v, 'execution_ref_digest')),
  'route-policy': (v) => routePolicyDigest(digest(v, 'route_identity'), text(v, 'account'), json(v, 'policies')),
  'ordering-contract': (v) => orderingContractDigest(json(v, 'contract')),
  'effect-root': (v) =>
    effectRootDigest({
      applicationScope: digest(v, 'application_scope'),
      originKind: text(v, 'origin_kind') as 'execution',
      originIntentId: uuid(v, 'origin_intent_id'),
      intent: text(v, 'intent'),
    }),
  'effect-generation': (v) => effectGenerationDigest(digest(v, 'effect_root'), text(v, 'effect_slot_id')),
  'logical-effect': (v) =>
    logicalEffectDigest({
      applicationScope: digest(v, 'application_scope'),
      effectRoot: digest(v, 'effect_root'),
      slot: text(v, 'effect_slot_id'),
      generationId: hex(v, 'effect_generation_id_hex'),
    }),
  request: (v) =>
    requestDigest({
      method: text(v, 'method'),
      target: text(v, 'target'),
      headers: (v.headers ?? []) as [string, string][],
      body: Buffer.from((v.body_utf8 ?? '') as string, 'utf8'),
      providerIdempotencyKey: textOrNull(v, 'provider_idempotency_key'),
    }),
  'dispatch-binding': (v) => {
    const authorizationId = uuidOrNull(v, 'successor_authorization_id');
    return dispatchBindingDigest({
      account: text(v, 'account'),
      epochId: uuid(v, 'epoch_id'),
      epochDigest: digest(v, 'serving_epoch_digest'),
      packGenerationStorageId: text(v, 'pack_generation_storage_id'),
      packPayloadDigest: digest(v, 'pack_payload_digest'),
      effectDefinition: text(v, 'effect_definition'),
      definitionVersion: text(v, 'definition_version'),
      routePolicyDigest: digest(v, 'route_policy_digest'),
      configurationId: uuid(v, 'service_configuration_id'),
      configurationDigest: digest(v, 'service_configuration_digest'),
      credentialGenerationId: uuid(v, 'credential_generation_id'),
      requestDigest: digest(v, 'request_digest'),
      effectRoot: digest(v, 'effect_root'),
      effectGenerationId: hex(v, 'effect_generation_id_hex'),
      succession: authorizationId && { authorizationId, predecessorLogicalEffect: digest(v, 'predecessor_logical_effect_digest') },
      providerIdempotencyKey: textOrNull(v, 'provider_idempotency_key'),
    });
  },
};

describe('connector digest vectors', () => {
  it.each(connectorVectors.profiled.map((vector) => [vector.name, vector] as const))(
    'the bytes and the digest of the vector, from its parts: %s (con:DIG-02)',
    (_name, vector) => {
      const made = FROM_PARTS[vector.purpose]?.(vector.inputs);
      expect(made?.preimage.toString('hex')).toBe(vector.preimage_hex);
      expect(made?.preimage.length).toBe(vector.preimage_length);
      expect(made?.digest).toBe(vector.digest);
      expect(made?.profile).toBe('nexuscrm.connector-digest-profile.v2');
    },
  );

  it('a vector for every purpose that there is', () => {
    expect(new Set(connectorVectors.profiled.map(({ purpose }) => purpose))).toEqual(new Set(Object.keys(FROM_PARTS)));
  });

  it('the serving scope of the golden vector: environment, service, organization, installation, workload (con:OPEN-05)', () => {
    const vector = profiledVector('serving scope');
    expect(FROM_PARTS['serving-scope']?.(vector.inputs).digest).toBe(
      'sha256:09e65e17fcab95046c6ccc7acb9cc16798f0b1ccd114797bc6d8a6ad1b5ee687',
    );
    for (const field of Object.keys(vector.inputs)) {
      expect(FROM_PARTS['serving-scope']?.({ ...vector.inputs, [field]: 'another' }).digest).not.toBe(vector.digest);
    }
  });
});
