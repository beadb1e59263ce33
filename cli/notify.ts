import { EnvHttpProxyAgent, request } from 'undici'
import type { ReportDiff } from '../engine/report/diff.ts'
import {
  changesOf,
  type Notification,
  notificationOf,
  WEBHOOKS,
} from '../engine/report/notification.ts'
import type { Report } from '../engine/report/report.ts'
import { complain, say, shown } from '../engine/report/terminal.ts'
import { UsageError } from './usage.ts'

/** Timeout of a webhook in milliseconds. */
const PATIENCE = 10_000

/** Hosts whose webhooks need a format of their own. */
const HOSTS: readonly [RegExp, keyof typeof WEBHOOKS][] = [
  [/(^|\.)slack\.com$/, 'slack'],
  [/(^|\.)(webhook\.office\.com|logic\.azure\.com|powerplatform\.com)$/, 'teams'],
]

/** Where a run is reported to, and in which format. */
export interface Webhook {
  url: URL
  form: keyof typeof WEBHOOKS
}

/**
 * Parses `--notify`: an address, or `env:NAME` for an address in the environment, preceded by `slack=`, `teams=` or
 * `json=` when the host does not show the format. The address itself is a secret, and is never shown.
 *
 * @throws UsageError
 */
export function webhookOf(option: string): Webhook {
  const [, named, rest = ''] = /^(?:(json|slack|teams)=)?(.*)$/s.exec(option) ?? []
  const variable = /^env:(.+)$/.exec(rest)?.[1]
  const address = variable === undefined ? rest : (process.env[variable] ?? '')
  const what = variable === undefined ? '--notify' : `the variable ${variable} of --notify`
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new UsageError(
      `${what} is not an http or https address. It may begin with slack=, teams= or json=.`,
    )
  }
  const url = new URL(address)
  const known = HOSTS.find(([host]) => host.test(url.hostname))?.[1]
  return { url, form: (named as Webhook['form'] | undefined) ?? known ?? 'json' }
}

/** Sends the result of a run. If that fails, a line says so; the exit code does not change. */
export async function notify(
  webhook: Webhook,
  report: Report,
  changes?: ReportDiff,
): Promise<void> {
  await send(webhook, notificationOf(report, { changes, link: pipelineLink(process.env) }))
}

/** Sends what changed between two rounds of a monitor. */
export async function tellWebhook(
  webhook: Webhook,
  { report, changes }: { report: Report; changes: readonly { kind: string; text: string }[] },
): Promise<void> {
  await send(webhook, changesOf(report, changes, pipelineLink(process.env)))
}

/** Uses the proxy of the environment: a webhook, unlike a bank, has no member for it. */
async function send({ url, form }: Webhook, note: Notification): Promise<void> {
  let proxies: EnvHttpProxyAgent | undefined
  try {
    proxies = new EnvHttpProxyAgent()
    const { statusCode, body } = await request(url, {
      dispatcher: proxies,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(WEBHOOKS[form](note)),
      headersTimeout: PATIENCE,
      bodyTimeout: PATIENCE,
      signal: AbortSignal.timeout(PATIENCE),
    })
    await body.dump()
    if (statusCode >= 300) complain(shown`${url.host} was not told: it answered ${statusCode}.`)
    else say(shown`told  ${url.host}`)
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException
    const why = name === 'TimeoutError' ? `no answer within ${PATIENCE / 1000} s` : (code ?? name)
    complain(shown`${url.host} was not told: ${why}.`)
  } finally {
    await proxies?.destroy()
  }
}

/** Address of the pipeline run in GitHub, GitLab, Jenkins or Azure. */
export function pipelineLink(env: NodeJS.ProcessEnv): string | undefined {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, CI_JOB_URL, BUILD_URL } = env
  if (GITHUB_SERVER_URL && GITHUB_REPOSITORY && GITHUB_RUN_ID) {
    return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`
  }
  return CI_JOB_URL || BUILD_URL || undefined
}
