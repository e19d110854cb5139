import { Ajv } from 'ajv';
import { admitting, type Shape } from '@connector/kernel/document-shape';
import { DefectFault } from '@connector/kernel/faults';
import { outcomeBody } from '@connector/platform/host/outcome';

const ajv = new Ajv({ strict: true, ownProperties: true, allowUnionTypes: true });

/**
 * Shows rows and owners' answers as the document says: members in snake_case, 64-bit numbers as text. DefectFault `HOUSE:operator:AnswerUnknown` for
 * anything that is not exactly of the shape.
 */
export function shownAs<T>(shape: Shape<T>): (value: object) => T {
  const admits = admitting(ajv, shape);
  return (value) => {
    const body = outcomeBody(value);
    if (admits(body)) return body;
    throw new DefectFault('HOUSE:operator:AnswerUnknown', `not of the documented shape: ${ajv.errorsText(admits.errors)}`);
  };
}
