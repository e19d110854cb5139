import { applyDecorators, SetMetadata, UseGuards } from '@nestjs/common';
import type { Caller } from '@connector/platform/host/auth';
import { onlyFor } from '@connector/platform/host/only-for';

const OPERATOR = ['local', 'operator'] as const satisfies readonly Caller[];
const CONNECTOR = ['cutover-coordinator'] as const satisfies readonly Caller[];

/** The roles of catalog.md B.3, each with the tokens that carry it. Whoever operates may do what people may; who may write anything may read. */
export const ROLES = {
  operator: OPERATOR,
  publisher: [...OPERATOR, 'publisher'],
  packOwner: [...OPERATOR, 'pack-owner'],
  reader: [...OPERATOR, 'publisher', 'pack-owner', 'reader'],
  /** What an epoch freezes; people look at it too. */
  connector: [...OPERATOR, ...CONNECTOR],
  /** What an epoch holds: no person has it. */
  connectorAlone: CONNECTOR,
} as const satisfies Readonly<Record<string, readonly Caller[]>>;

export const ROLE = Symbol('role');

/** Of the callers that the service knows only those of this role; every handler says its own. */
export const As = (role: keyof typeof ROLES): MethodDecorator =>
  applyDecorators(SetMetadata(ROLE, role), UseGuards(onlyFor(...ROLES[role])));
