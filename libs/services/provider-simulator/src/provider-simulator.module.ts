import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DynamicModule, Inject, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { ControlController, SIMULATOR } from './control.controller';
import type { Simulator } from './simulator';

/**
 * Providers are served below Nest, on the raw request and response: a half-sent body must be seen as it is, and an answer
 * must be breakable in the middle. Only the controls are Nest's.
 */
@Module({})
export class ProviderSimulatorModule implements NestModule {
  constructor(@Inject(SIMULATOR) private readonly simulator: Simulator) {}

  static register(simulator: Simulator): DynamicModule {
    return { module: ProviderSimulatorModule, controllers: [ControlController], providers: [{ provide: SIMULATOR, useValue: simulator }] };
  }

  configure(consumer: MiddlewareConsumer): void {
    const serve = (req: IncomingMessage, res: ServerResponse, next: (thrown?: unknown) => void): void =>
      this.simulator.handle(req, res, next);
    consumer.apply(serve).forRoutes('{*path}');
  }
}
