import { Body, Controller, Get, Headers, Inject, Param, Post, Put, Req, Res } from '@nestjs/common';
import type { ArtifactRegistry } from '@connector/catalog/contract/artifact-registry';
import { AppId, ComponentKind } from '@connector/catalog/model/identifier';
import { readBundle, readRelease, readSlotVersions, readVersion } from '@connector/catalog/reads/releases';
import { blockRelease } from '@connector/catalog/transitions/registry/block-release.tx';
import { Digest } from '@connector/kernel/digest';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { parseBase64 } from '@connector/platform/host/body';
import { sendOutcome } from '@connector/platform/host/outcome';
import { argument } from '@connector/kernel/faults';
import { askedBy } from './asked-by';
import { CATALOG_DB } from './databases';
import { publishRelease } from './publish-release';
import { AppReleaseBody, BlobBody, ReasonBody } from './registry-bodies';
import { releaseProblem } from './release-problem';
import { As } from './roles';

export const ARTIFACTS = Symbol('artifacts');

interface Reply {
  status(code: number): Reply;
  send(body: unknown): unknown;
}
type Place = Readonly<Record<string, string>>;

const PUT_BLOB = { stored: 201, 'already-stored': 200, 'digest-differs': 422, corrupt: 409, unavailable: 503 };
const GOT_BLOB = { found: 200, absent: 404, corrupt: 409, unavailable: 503 };
const PUBLISHED = {
  registered: 201,
  'already-registered': 200,
  'conflicting-release': 409,
  refused: 409,
  'blob-corrupt': 409,
  unavailable: 503,
};
const FOUND = { found: 200, absent: 404 };
const BLOCKED = { blocked: 200, 'already-blocked': 200, 'unknown-release': 404 };
const ABSENT = { kind: 'absent', code: 'RELEASE_UNKNOWN' } as const;

/** A digest as a path writes it, without its prefix. */
const digestOf = (hex: string): Digest => Digest.parse(`sha256:${hex}`);

/** Releases, and the blobs that they are made of (catalog.md B.3). */
@Controller('v1')
export class ReleasesController {
  constructor(
    @Inject(CATALOG_DB) private readonly db: Db,
    @Inject(ARTIFACTS) private readonly artifacts: ArtifactRegistry,
  ) {}

  /** Its own idempotency: the same bytes are the same blob, and other bytes have another digest. */
  @Put('blobs/sha256/:hex')
  @As('publisher')
  async putBlob(@Param('hex') hex: string, @Body() body: BlobBody, @Res() reply: Reply): Promise<void> {
    const said = { componentDigest: digestOf(hex), rawSha256: body.raw_sha256 };
    const bytes = parseBase64(body.bytes_base64, '/bytes_base64');
    const blob = {
      componentKind: argument('component_kind', ComponentKind, body.component_kind),
      formatVersion: body.component_format_version,
      bytes,
    };
    sendOutcome(reply, PUT_BLOB, await this.artifacts.put(said, blob));
  }

  @Get('blobs/sha256/:hex')
  @As('reader')
  async getBlob(@Param('hex') hex: string, @Res() reply: Reply): Promise<void> {
    const [got = { kind: 'absent' } as const] = await this.artifacts.get([digestOf(hex)]);
    sendOutcome(reply, GOT_BLOB, got);
  }

  @Post('app-releases')
  @As('publisher')
  async publish(
    @Body() body: AppReleaseBody,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: object,
    @Res() reply: Reply,
  ): Promise<void> {
    const { statement_base64: statement, signature_base64: signature } = body.attestation;
    const input = {
      manifest: parseBase64(body.manifest_base64, '/manifest_base64'),
      bundle: parseBase64(body.bundle_base64, '/bundle_base64'),
      attestation: {
        statement: parseBase64(statement, '/attestation/statement_base64'),
        signature: parseBase64(signature, '/attestation/signature_base64'),
      },
    };
    const [manifest, bundle] = [Digest.sha256(input.manifest), Digest.sha256(input.bundle)];
    const asked = askedBy(request, key, { door: 'register-release', manifest, bundle, statement, signature });
    const answer = await publishRelease(this.db, this.artifacts, input, asked);
    if (answer.kind === 'faulty') throw releaseProblem(answer);
    sendOutcome(reply, PUBLISHED, answer);
  }

  @Get('app-releases/:app/sha256/:hex')
  @As('reader')
  async get(@Param() { app = '', hex = '' }: Place, @Res() reply: Reply): Promise<void> {
    const release = await readRelease(this.db, argument('app_id', AppId, app), digestOf(hex));
    const bundleBytes = release && (await readBundle(this.db, release.bundleDigest));
    if (release === undefined || bundleBytes === undefined) return sendOutcome(reply, FOUND, ABSENT);
    const slots = await readSlotVersions(this.db, release);
    sendOutcome(reply, FOUND, { kind: 'found', ...release, bundleBytes, slots });
  }

  @Get('app-releases/:app/versions/:version')
  @As('reader')
  async version(@Param() { app = '', version = '' }: Place, @Res() reply: Reply): Promise<void> {
    const releaseDigest = await readVersion(this.db, argument('app_id', AppId, app), version);
    sendOutcome(reply, FOUND, releaseDigest === undefined ? ABSENT : { kind: 'found', releaseDigest });
  }

  @Post('app-releases/:app/sha256/:hex/block')
  @As('operator')
  async block(
    @Param() { app = '', hex = '' }: Place,
    @Body() body: ReasonBody,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: object,
    @Res() reply: Reply,
  ): Promise<void> {
    const input = { appId: argument('app_id', AppId, app), releaseDigest: digestOf(hex), reason: body.reason };
    const asked = askedBy(request, key, { door: 'block-release', ...input });
    sendOutcome(reply, BLOCKED, await retrying(ANSWER_SOON, () => blockRelease(this.db, input, asked)));
  }
}
