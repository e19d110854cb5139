import { Body, Controller, Inject, Param, Query, UseFilters } from '@nestjs/common';
import { Serves } from './api/operation';
import { APP_ACTS, AUDIT_ACTS, PUBLISHER_ACTS, RELEASE_ACTS } from './api/registry-routes';
import type { Apps } from './apps';
import type { Audit } from './audit';
import type { Publishers } from './publishers';
import type { Releases } from './releases';
import {
  AcceptBody,
  AddKeyBody,
  AddPublisherBody,
  BlobBody,
  OfferTransferBody,
  PageQuery,
  PlanAcceptBody,
  PlanRecoverBody,
  PlanRevokeKeyBody,
  PublishReleaseBody,
  RecoverBody,
  RevokeKeyBody,
} from './registry-bodies';
import { RowProblemFilter } from './row-problem';

export const PUBLISHERS = Symbol('publishers');
export const APPS = Symbol('apps');
export const RELEASES = Symbol('releases');
export const AUDIT = Symbol('audit');

/** Whom the operator trusts, which App is whose, and what was released. */
@Controller('v1')
@UseFilters(RowProblemFilter)
export class RegistryController {
  constructor(
    @Inject(PUBLISHERS) private readonly publishers: Publishers,
    @Inject(APPS) private readonly apps: Apps,
    @Inject(RELEASES) private readonly releases: Releases,
    @Inject(AUDIT) private readonly audit: Audit,
  ) {}

  @Serves(PUBLISHER_ACTS.list)
  listPublishers(@Query() query: PageQuery) {
    return this.publishers.list(query);
  }

  @Serves(PUBLISHER_ACTS.get)
  getPublisher(@Param('id') id: string) {
    return this.publishers.get(id);
  }

  @Serves(PUBLISHER_ACTS.add)
  addPublisher(@Body() body: AddPublisherBody) {
    return this.publishers.add(body);
  }

  @Serves(PUBLISHER_ACTS.addKey)
  addKey(@Body() body: AddKeyBody) {
    return this.publishers.addKey(body);
  }

  @Serves(PUBLISHER_ACTS.planRevokeKey)
  planRevokeKey(@Body() { publisher_id, key_id }: PlanRevokeKeyBody) {
    return this.publishers.planRevokeKey(publisher_id, key_id);
  }

  @Serves(PUBLISHER_ACTS.revokeKey)
  revokeKey(@Body() body: RevokeKeyBody) {
    return this.publishers.revokeKey(body);
  }

  @Serves(APP_ACTS.list)
  listApps(@Query() query: PageQuery) {
    return this.apps.list(query);
  }

  @Serves(APP_ACTS.get)
  getApp(@Param('id') id: string) {
    return this.apps.get(id);
  }

  @Serves(APP_ACTS.transfer)
  transfer(@Body() body: OfferTransferBody) {
    return this.apps.transfer(body);
  }

  @Serves(APP_ACTS.planAccept)
  planAccept(@Body() { app_id, transfer_id }: PlanAcceptBody) {
    return this.apps.planAccept(app_id, transfer_id);
  }

  @Serves(APP_ACTS.accept)
  accept(@Body() body: AcceptBody) {
    return this.apps.accept(body);
  }

  @Serves(APP_ACTS.planRecover)
  planRecover(@Body() { app_id, to_publisher_id }: PlanRecoverBody) {
    return this.apps.planRecover(app_id, to_publisher_id);
  }

  @Serves(APP_ACTS.recover)
  recover(@Body() body: RecoverBody) {
    return this.apps.recover(body);
  }

  @Serves(RELEASE_ACTS.get)
  getRelease(@Param('app') app: string, @Param('release') release: string) {
    return this.releases.get(app, release);
  }

  @Serves(RELEASE_ACTS.putBlob)
  putBlob(@Body() body: BlobBody) {
    return this.releases.putBlob(body);
  }

  @Serves(RELEASE_ACTS.publish)
  publish(@Body() body: PublishReleaseBody) {
    return this.releases.publish(body);
  }

  @Serves(AUDIT_ACTS.list)
  listAudit(@Param('subject') subject: string, @Query() query: PageQuery) {
    return this.audit.list(subject, query);
  }
}
