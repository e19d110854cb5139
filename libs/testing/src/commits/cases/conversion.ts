import { CRM_APP_ID } from '@connector/catalog/model/conversion/mapping';
import { decideDeletion } from '@connector/catalog/transitions/conversion/delete-legacy-pack.tx';
import { failConversion } from '@connector/catalog/transitions/conversion/fail-conversion.tx';
import { retireLegacyReader } from '@connector/catalog/transitions/conversion/retire-legacy-reader.tx';
import { openPublication } from '@connector/catalog/transitions/installation/open-publication.tx';
import { OperationId } from '@connector/kernel/ids';
import { ANSWER_SOON } from '@connector/platform/db/retrying';
import { prove } from '@connector/services/catalog/src/conversion/prove';
import { conversionWorld, READER, signedMapping, WHOLE_MAPPING } from '../../fixtures/conversion';
import { asking } from '../../fixtures/registry';
import { act, type DoorCase, known } from './door-case';

const ORG = 'org-1';

/** The conversion of a legacy pack, and the end of what it leaves. */
export const CONVERSION_CASES: readonly DoorCase[] = [
  {
    door: 'open-publication',
    way: 'a conversion',
    arrange: async ({ main }) => {
      const world = await conversionWorld(main, [ORG]);
      const input = world.asked(ORG);
      const proof = await prove(world.parts, known(world.conversion.legacy), input);
      if (proof.kind !== 'proven') throw new RangeError('not proven');
      const { release, gathered, entry } = proof;
      const conversion = { key: input, attemptId: OperationId.mint(), entry };
      const publication = {
        organization: ORG,
        existing: null,
        asked: input.asked,
        release,
        gathered,
        conversion,
        commandId: OperationId.mint(),
      };
      const request = asking();
      return act(
        ANSWER_SOON,
        (db) => openPublication(db, publication, request),
        ({ kind }) => kind,
      );
    },
  },
  {
    door: 'fail-conversion',
    arrange: async ({ main }) => {
      const world = await conversionWorld(main, [ORG]);
      const failure = { key: world.asked(ORG), attemptId: OperationId.mint(), faults: [], caller: 'test' };
      return act(ANSWER_SOON, (db) => failConversion(db, failure));
    },
  },
  {
    door: 'retire-legacy-reader',
    arrange: async ({ main }) => {
      const world = await conversionWorld(main, [ORG]);
      await world.convert(world.asked(ORG));
      const request = asking();
      return act(ANSWER_SOON, (db) => retireLegacyReader(db, { organization: ORG, appId: CRM_APP_ID, reader: READER }, request));
    },
  },
  {
    door: 'delete-legacy-pack',
    arrange: async ({ main }) => {
      const world = await conversionWorld(main, [ORG]);
      await world.convert(world.asked(ORG, { mapping: signedMapping(WHOLE_MAPPING) }));
      const request = asking();
      return act(ANSWER_SOON, (db) =>
        decideDeletion(db, { organization: ORG, appId: CRM_APP_ID, catalogRevision: 1n, entry: {} }, request),
      );
    },
  },
];
