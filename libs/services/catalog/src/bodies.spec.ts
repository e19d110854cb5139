import 'reflect-metadata';
import { BodyFault, bodyValidation } from '@connector/platform/host/problem';
import { AcquireBarrierBody } from './barrier-bodies';
import { ViewBindingBody } from './bodies';
import { ConversionBody } from './conversion/bodies';
import { AppReleaseBody } from './registry-bodies';

const rules = bodyValidation();

describe('bodies', () => {
  it.each<[string, new () => object]>([
    ['attestation', AppReleaseBody],
    ['expected_lineage', AcquireBarrierBody],
    ['mapping', ConversionBody],
    ['runtime_command', ViewBindingBody],
  ])('refused: %s that is a list or a word, where an object belongs', async (member, metatype) => {
    for (const value of [[], [[]], 'x', 1]) {
      const thrown: unknown = await rules.transform({ [member]: value }, { type: 'body', metatype }).catch((error: unknown) => error);
      const details = thrown instanceof BodyFault ? thrown.errors.filter(({ pointer }) => pointer === `/${member}`) : [];
      expect(details.map(({ detail }) => detail)).toContain(`${member} must be an object`);
    }
  });
});
