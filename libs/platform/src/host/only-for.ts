import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { type Caller, callerOf } from './auth';
import { HttpProblem } from './problem';

/** For `@UseGuards()`: of the callers that the service knows, only these come through here. Whether a caller is known was decided before. */
export function onlyFor(...allowed: readonly Caller[]): CanActivate {
  return {
    canActivate(context: ExecutionContext): boolean {
      const caller = callerOf(context.switchToHttp().getRequest<object>());
      if (caller !== undefined && allowed.includes(caller)) return true;
      const detail = `This path is for ${allowed.join(', ')}; nothing was written.`;
      throw new HttpProblem({ status: 403, code: 'HOUSE:http:CallerNotAllowed', detail });
    },
  };
}
