
use builtin;
use str;

set edit:completion:arg-completer[agent-acceptance] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'agent-acceptance'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'agent-acceptance'= {
            cand --format 'Choose the form of the report'
            cand --output 'Write the report to a file instead of stdout'
            cand --report 'Write a further report in another form; repeatable'
            cand --color 'Choose when to use colours'
            cand -C 'Work in this folder'
            cand --directory 'Work in this folder'
            cand -q 'Say nothing when passed, and less otherwise'
            cand --quiet 'Say nothing when passed, and less otherwise'
            cand -v 'Cut nothing, and show what test runners print'
            cand --verbose 'Cut nothing, and show what test runners print'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand check 'Judge a change'
            cand parse 'Read a contract and find its errors'
            cand explain 'Say what a contract asks and how it stands, without running a test'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'agent-acceptance;check'= {
            cand --expect-digest 'Refuse any other contract than the one with this digest'
            cand --issue 'Read the contract from this issue: 12, owner/repo#12 or its address'
            cand --pr 'Read the contract from the issue that this pull request closes'
            cand --repo 'Look for the number in this repository [default: the environment''s, then the git remote''s]'
            cand --trust-associations 'Trust authors with these associations [default: OWNER,MEMBER,COLLABORATOR]'
            cand --trust-user 'Trust this author; repeatable'
            cand --trust-permission 'Trust authors with this permission instead of an association'
            cand --max-wait 'Wait at most so many seconds for a rate limit to be lifted [default: 60]'
            cand --base 'Compare with this branch or commit [default: upstream/HEAD, origin/HEAD, origin/main, origin/master]'
            cand --head 'Judge this commit [default: HEAD]'
            cand --setup 'Run this command first in each clone; needs --isolate or --strict; repeatable'
            cand --pass-env 'Let the tests see this variable of the environment; repeatable'
            cand --allow-harness 'Let this file change although it decides how tests run; repeatable'
            cand --timeout 'Give a run without a limit of its own so many seconds [default: 900]'
            cand --jobs 'Run so many independent commands at once [default: 1]'
            cand --cache-dir 'Keep build output and results of the merge base here, for the next run'
            cand --artifact 'Judge this file (- for stdin) as the artifact at PATH, instead of the committed one; repeatable'
            cand --source 'Compare with this file as the source at PATH, instead of the merge base''s; repeatable'
            cand --publish 'Write the artifact at PATH to this file when passed, and only then; repeatable'
            cand --record 'Keep every attempt in this folder'
            cand --max-attempts 'Allow so many attempts at this contract, then exit with 5; needs --record'
            cand --facts 'Judge these facts, gathered elsewhere, instead of gathering them'
            cand --write-facts 'Write the facts that were gathered, for --facts'
            cand --format 'Choose the form of the report'
            cand --output 'Write the report to a file instead of stdout'
            cand --report 'Write a further report in another form; repeatable'
            cand --color 'Choose when to use colours'
            cand -C 'Work in this folder'
            cand --directory 'Work in this folder'
            cand --require-edit-history 'Refuse a contract whose edits cannot be read'
            cand --isolate 'Run tests in a private clone of head instead of the checkout'
            cand --strict 'Trust nothing: isolate, run the merge base too, and let no test be lost or newly skipped'
            cand --allow-unchecked 'Exit with 0 when there is no contract'
            cand --demo 'Show a false claim fail and honest work pass, in a temporary repository'
            cand -q 'Say nothing when passed, and less otherwise'
            cand --quiet 'Say nothing when passed, and less otherwise'
            cand -v 'Cut nothing, and show what test runners print'
            cand --verbose 'Cut nothing, and show what test runners print'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'agent-acceptance;parse'= {
            cand --expect-digest 'Refuse any other contract than the one with this digest'
            cand --issue 'Read the contract from this issue: 12, owner/repo#12 or its address'
            cand --pr 'Read the contract from the issue that this pull request closes'
            cand --repo 'Look for the number in this repository [default: the environment''s, then the git remote''s]'
            cand --trust-associations 'Trust authors with these associations [default: OWNER,MEMBER,COLLABORATOR]'
            cand --trust-user 'Trust this author; repeatable'
            cand --trust-permission 'Trust authors with this permission instead of an association'
            cand --max-wait 'Wait at most so many seconds for a rate limit to be lifted [default: 60]'
            cand --format 'Choose the form of the report'
            cand --output 'Write the report to a file instead of stdout'
            cand --report 'Write a further report in another form; repeatable'
            cand --color 'Choose when to use colours'
            cand -C 'Work in this folder'
            cand --directory 'Work in this folder'
            cand --require-edit-history 'Refuse a contract whose edits cannot be read'
            cand -q 'Say nothing when passed, and less otherwise'
            cand --quiet 'Say nothing when passed, and less otherwise'
            cand -v 'Cut nothing, and show what test runners print'
            cand --verbose 'Cut nothing, and show what test runners print'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'agent-acceptance;explain'= {
            cand --expect-digest 'Refuse any other contract than the one with this digest'
            cand --issue 'Read the contract from this issue: 12, owner/repo#12 or its address'
            cand --pr 'Read the contract from the issue that this pull request closes'
            cand --repo 'Look for the number in this repository [default: the environment''s, then the git remote''s]'
            cand --trust-associations 'Trust authors with these associations [default: OWNER,MEMBER,COLLABORATOR]'
            cand --trust-user 'Trust this author; repeatable'
            cand --trust-permission 'Trust authors with this permission instead of an association'
            cand --max-wait 'Wait at most so many seconds for a rate limit to be lifted [default: 60]'
            cand --base 'Compare with this branch or commit [default: upstream/HEAD, origin/HEAD, origin/main, origin/master]'
            cand --head 'Judge this commit [default: HEAD]'
            cand --setup 'Run this command first in each clone; needs --isolate or --strict; repeatable'
            cand --pass-env 'Let the tests see this variable of the environment; repeatable'
            cand --allow-harness 'Let this file change although it decides how tests run; repeatable'
            cand --timeout 'Give a run without a limit of its own so many seconds [default: 900]'
            cand --jobs 'Run so many independent commands at once [default: 1]'
            cand --cache-dir 'Keep build output and results of the merge base here, for the next run'
            cand --format 'Choose the form of the report'
            cand --output 'Write the report to a file instead of stdout'
            cand --report 'Write a further report in another form; repeatable'
            cand --color 'Choose when to use colours'
            cand -C 'Work in this folder'
            cand --directory 'Work in this folder'
            cand --require-edit-history 'Refuse a contract whose edits cannot be read'
            cand --isolate 'Run tests in a private clone of head instead of the checkout'
            cand --strict 'Trust nothing: isolate, run the merge base too, and let no test be lost or newly skipped'
            cand -q 'Say nothing when passed, and less otherwise'
            cand --quiet 'Say nothing when passed, and less otherwise'
            cand -v 'Cut nothing, and show what test runners print'
            cand --verbose 'Cut nothing, and show what test runners print'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'agent-acceptance;help'= {
            cand check 'Judge a change'
            cand parse 'Read a contract and find its errors'
            cand explain 'Say what a contract asks and how it stands, without running a test'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'agent-acceptance;help;check'= {
        }
        &'agent-acceptance;help;parse'= {
        }
        &'agent-acceptance;help;explain'= {
        }
        &'agent-acceptance;help;help'= {
        }
    ]
    $completions[$command]
}
