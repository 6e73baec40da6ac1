
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'agent-acceptance' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'agent-acceptance'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'agent-acceptance' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Choose the form of the report')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the report to a file instead of stdout')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Write a further report in another form; repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colours')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in this folder')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Work in this folder')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing when passed, and less otherwise')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing when passed, and less otherwise')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Cut nothing, and show what test runners print')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Cut nothing, and show what test runners print')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Judge a change')
            [CompletionResult]::new('parse', 'parse', [CompletionResultType]::ParameterValue, 'Read a contract and find its errors')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Say what a contract asks and how it stands, without running a test')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'agent-acceptance;check' {
            [CompletionResult]::new('--expect-digest', '--expect-digest', [CompletionResultType]::ParameterName, 'Refuse any other contract than the one with this digest')
            [CompletionResult]::new('--issue', '--issue', [CompletionResultType]::ParameterName, 'Read the contract from this issue: 12, owner/repo#12 or its address')
            [CompletionResult]::new('--pr', '--pr', [CompletionResultType]::ParameterName, 'Read the contract from the issue that this pull request closes')
            [CompletionResult]::new('--repo', '--repo', [CompletionResultType]::ParameterName, 'Look for the number in this repository [default: the environment''s, then the git remote''s]')
            [CompletionResult]::new('--trust-associations', '--trust-associations', [CompletionResultType]::ParameterName, 'Trust authors with these associations [default: OWNER,MEMBER,COLLABORATOR]')
            [CompletionResult]::new('--trust-user', '--trust-user', [CompletionResultType]::ParameterName, 'Trust this author; repeatable')
            [CompletionResult]::new('--trust-permission', '--trust-permission', [CompletionResultType]::ParameterName, 'Trust authors with this permission instead of an association')
            [CompletionResult]::new('--max-wait', '--max-wait', [CompletionResultType]::ParameterName, 'Wait at most so many seconds for a rate limit to be lifted [default: 60]')
            [CompletionResult]::new('--base', '--base', [CompletionResultType]::ParameterName, 'Compare with this branch or commit [default: upstream/HEAD, origin/HEAD, origin/main, origin/master]')
            [CompletionResult]::new('--head', '--head', [CompletionResultType]::ParameterName, 'Judge this commit [default: HEAD]')
            [CompletionResult]::new('--setup', '--setup', [CompletionResultType]::ParameterName, 'Run this command first in each clone; needs --isolate or --strict; repeatable')
            [CompletionResult]::new('--pass-env', '--pass-env', [CompletionResultType]::ParameterName, 'Let the tests see this variable of the environment; repeatable')
            [CompletionResult]::new('--allow-harness', '--allow-harness', [CompletionResultType]::ParameterName, 'Let this file change although it decides how tests run; repeatable')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Give a run without a limit of its own so many seconds [default: 900]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Run so many independent commands at once [default: 1]')
            [CompletionResult]::new('--cache-dir', '--cache-dir', [CompletionResultType]::ParameterName, 'Keep build output and results of the merge base here, for the next run')
            [CompletionResult]::new('--artifact', '--artifact', [CompletionResultType]::ParameterName, 'Judge this file (- for stdin) as the artifact at PATH, instead of the committed one; repeatable')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'Compare with this file as the source at PATH, instead of the merge base''s; repeatable')
            [CompletionResult]::new('--publish', '--publish', [CompletionResultType]::ParameterName, 'Write the artifact at PATH to this file when passed, and only then; repeatable')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Keep every attempt in this folder')
            [CompletionResult]::new('--max-attempts', '--max-attempts', [CompletionResultType]::ParameterName, 'Allow so many attempts at this contract, then exit with 5; needs --record')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'Judge these facts, gathered elsewhere, instead of gathering them')
            [CompletionResult]::new('--write-facts', '--write-facts', [CompletionResultType]::ParameterName, 'Write the facts that were gathered, for --facts')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Choose the form of the report')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the report to a file instead of stdout')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Write a further report in another form; repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colours')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in this folder')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Work in this folder')
            [CompletionResult]::new('--require-edit-history', '--require-edit-history', [CompletionResultType]::ParameterName, 'Refuse a contract whose edits cannot be read')
            [CompletionResult]::new('--isolate', '--isolate', [CompletionResultType]::ParameterName, 'Run tests in a private clone of head instead of the checkout')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Trust nothing: isolate, run the merge base too, and let no test be lost or newly skipped')
            [CompletionResult]::new('--allow-unchecked', '--allow-unchecked', [CompletionResultType]::ParameterName, 'Exit with 0 when there is no contract')
            [CompletionResult]::new('--demo', '--demo', [CompletionResultType]::ParameterName, 'Show a false claim fail and honest work pass, in a temporary repository')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing when passed, and less otherwise')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing when passed, and less otherwise')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Cut nothing, and show what test runners print')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Cut nothing, and show what test runners print')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'agent-acceptance;parse' {
            [CompletionResult]::new('--expect-digest', '--expect-digest', [CompletionResultType]::ParameterName, 'Refuse any other contract than the one with this digest')
            [CompletionResult]::new('--issue', '--issue', [CompletionResultType]::ParameterName, 'Read the contract from this issue: 12, owner/repo#12 or its address')
            [CompletionResult]::new('--pr', '--pr', [CompletionResultType]::ParameterName, 'Read the contract from the issue that this pull request closes')
            [CompletionResult]::new('--repo', '--repo', [CompletionResultType]::ParameterName, 'Look for the number in this repository [default: the environment''s, then the git remote''s]')
            [CompletionResult]::new('--trust-associations', '--trust-associations', [CompletionResultType]::ParameterName, 'Trust authors with these associations [default: OWNER,MEMBER,COLLABORATOR]')
            [CompletionResult]::new('--trust-user', '--trust-user', [CompletionResultType]::ParameterName, 'Trust this author; repeatable')
            [CompletionResult]::new('--trust-permission', '--trust-permission', [CompletionResultType]::ParameterName, 'Trust authors with this permission instead of an association')
            [CompletionResult]::new('--max-wait', '--max-wait', [CompletionResultType]::ParameterName, 'Wait at most so many seconds for a rate limit to be lifted [default: 60]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Choose the form of the report')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the report to a file instead of stdout')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Write a further report in another form; repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colours')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in this folder')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Work in this folder')
            [CompletionResult]::new('--require-edit-history', '--require-edit-history', [CompletionResultType]::ParameterName, 'Refuse a contract whose edits cannot be read')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing when passed, and less otherwise')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing when passed, and less otherwise')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Cut nothing, and show what test runners print')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Cut nothing, and show what test runners print')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'agent-acceptance;explain' {
            [CompletionResult]::new('--expect-digest', '--expect-digest', [CompletionResultType]::ParameterName, 'Refuse any other contract than the one with this digest')
            [CompletionResult]::new('--issue', '--issue', [CompletionResultType]::ParameterName, 'Read the contract from this issue: 12, owner/repo#12 or its address')
            [CompletionResult]::new('--pr', '--pr', [CompletionResultType]::ParameterName, 'Read the contract from the issue that this pull request closes')
            [CompletionResult]::new('--repo', '--repo', [CompletionResultType]::ParameterName, 'Look for the number in this repository [default: the environment''s, then the git remote''s]')
            [CompletionResult]::new('--trust-associations', '--trust-associations', [CompletionResultType]::ParameterName, 'Trust authors with these associations [default: OWNER,MEMBER,COLLABORATOR]')
            [CompletionResult]::new('--trust-user', '--trust-user', [CompletionResultType]::ParameterName, 'Trust this author; repeatable')
            [CompletionResult]::new('--trust-permission', '--trust-permission', [CompletionResultType]::ParameterName, 'Trust authors with this permission instead of an association')
            [CompletionResult]::new('--max-wait', '--max-wait', [CompletionResultType]::ParameterName, 'Wait at most so many seconds for a rate limit to be lifted [default: 60]')
            [CompletionResult]::new('--base', '--base', [CompletionResultType]::ParameterName, 'Compare with this branch or commit [default: upstream/HEAD, origin/HEAD, origin/main, origin/master]')
            [CompletionResult]::new('--head', '--head', [CompletionResultType]::ParameterName, 'Judge this commit [default: HEAD]')
            [CompletionResult]::new('--setup', '--setup', [CompletionResultType]::ParameterName, 'Run this command first in each clone; needs --isolate or --strict; repeatable')
            [CompletionResult]::new('--pass-env', '--pass-env', [CompletionResultType]::ParameterName, 'Let the tests see this variable of the environment; repeatable')
            [CompletionResult]::new('--allow-harness', '--allow-harness', [CompletionResultType]::ParameterName, 'Let this file change although it decides how tests run; repeatable')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Give a run without a limit of its own so many seconds [default: 900]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Run so many independent commands at once [default: 1]')
            [CompletionResult]::new('--cache-dir', '--cache-dir', [CompletionResultType]::ParameterName, 'Keep build output and results of the merge base here, for the next run')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Choose the form of the report')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the report to a file instead of stdout')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Write a further report in another form; repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Choose when to use colours')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in this folder')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Work in this folder')
            [CompletionResult]::new('--require-edit-history', '--require-edit-history', [CompletionResultType]::ParameterName, 'Refuse a contract whose edits cannot be read')
            [CompletionResult]::new('--isolate', '--isolate', [CompletionResultType]::ParameterName, 'Run tests in a private clone of head instead of the checkout')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Trust nothing: isolate, run the merge base too, and let no test be lost or newly skipped')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing when passed, and less otherwise')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing when passed, and less otherwise')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Cut nothing, and show what test runners print')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Cut nothing, and show what test runners print')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'agent-acceptance;help' {
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Judge a change')
            [CompletionResult]::new('parse', 'parse', [CompletionResultType]::ParameterValue, 'Read a contract and find its errors')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Say what a contract asks and how it stands, without running a test')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'agent-acceptance;help;check' {
            break
        }
        'agent-acceptance;help;parse' {
            break
        }
        'agent-acceptance;help;explain' {
            break
        }
        'agent-acceptance;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
