# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_agent_acceptance_global_optspecs
    string join \n format= output= report= color= q/quiet v/verbose C/directory= h/help V/version
end

function __fish_agent_acceptance_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_agent_acceptance_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_agent_acceptance_using_subcommand
    set -l cmd (__fish_agent_acceptance_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c agent-acceptance -n "__fish_agent_acceptance_needs_command" -l format -d 'Choose the form of the report' -r -f -a "human\t'For people'
json\t'For programs'
markdown\t'For comments and summaries'
hook\t'For an agent\'s stop hook'"
complete -c agent-acceptance -n "__fish_agent_acceptance_needs_command" -l output -d 'Write the report to a file instead of stdout' -r -F
complete -c agent-acceptance -n "__fish_agent_acceptance_needs_command" -l report -d 'Write a further report in another form; repeatable' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_needs_command" -l color -d 'Choose when to use colours' -r -f -a "auto\t'On a terminal, unless the environment forbids it'
always\t'In any case'
never\t'In no case'"
complete -c agent-acceptance -n "__fish_agent_acceptance_needs_command" -s C -l directory -d 'Work in this folder' -r -F
complete -c agent-acceptance -n "__fish_agent_acceptance_needs_command" -s q -l quiet -d 'Say nothing when passed, and less otherwise'
complete -c agent-acceptance -n "__fish_agent_acceptance_needs_command" -s v -l verbose -d 'Cut nothing, and show what test runners print'
complete -c agent-acceptance -n "__fish_agent_acceptance_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c agent-acceptance -n "__fish_agent_acceptance_needs_command" -s V -l version -d 'Print version'
complete -c agent-acceptance -n "__fish_agent_acceptance_needs_command" -f -a "check" -d 'Judge a change'
complete -c agent-acceptance -n "__fish_agent_acceptance_needs_command" -f -a "parse" -d 'Read a contract and find its errors'
complete -c agent-acceptance -n "__fish_agent_acceptance_needs_command" -f -a "explain" -d 'Say what a contract asks and how it stands, without running a test'
complete -c agent-acceptance -n "__fish_agent_acceptance_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l expect-digest -d 'Refuse any other contract than the one with this digest' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l issue -d 'Read the contract from this issue: 12, owner/repo#12 or its address' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l pr -d 'Read the contract from the issue that this pull request closes' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l repo -d 'Look for the number in this repository [default: the environment\'s, then the git remote\'s]' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l trust-associations -d 'Trust authors with these associations [default: OWNER,MEMBER,COLLABORATOR]' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l trust-user -d 'Trust this author; repeatable' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l trust-permission -d 'Trust authors with this permission instead of an association' -r -f -a "write\t''"
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l max-wait -d 'Wait at most so many seconds for a rate limit to be lifted [default: 60]' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l base -d 'Compare with this branch or commit [default: upstream/HEAD, origin/HEAD, origin/main, origin/master]' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l head -d 'Judge this commit [default: HEAD]' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l setup -d 'Run this command first in each clone; needs --isolate or --strict; repeatable' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l pass-env -d 'Let the tests see this variable of the environment; repeatable' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l allow-harness -d 'Let this file change although it decides how tests run; repeatable' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l timeout -d 'Give a run without a limit of its own so many seconds [default: 900]' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l jobs -d 'Run so many independent commands at once [default: 1]' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l cache-dir -d 'Keep build output and results of the merge base here, for the next run' -r -F
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l artifact -d 'Judge this file (- for stdin) as the artifact at PATH, instead of the committed one; repeatable' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l source -d 'Compare with this file as the source at PATH, instead of the merge base\'s; repeatable' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l publish -d 'Write the artifact at PATH to this file when passed, and only then; repeatable' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l record -d 'Keep every attempt in this folder' -r -F
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l max-attempts -d 'Allow so many attempts at this contract, then exit with 5; needs --record' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l facts -d 'Judge these facts, gathered elsewhere, instead of gathering them' -r -F
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l write-facts -d 'Write the facts that were gathered, for --facts' -r -F
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l format -d 'Choose the form of the report' -r -f -a "human\t'For people'
json\t'For programs'
markdown\t'For comments and summaries'
hook\t'For an agent\'s stop hook'"
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l output -d 'Write the report to a file instead of stdout' -r -F
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l report -d 'Write a further report in another form; repeatable' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l color -d 'Choose when to use colours' -r -f -a "auto\t'On a terminal, unless the environment forbids it'
always\t'In any case'
never\t'In no case'"
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -s C -l directory -d 'Work in this folder' -r -F
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l require-edit-history -d 'Refuse a contract whose edits cannot be read'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l isolate -d 'Run tests in a private clone of head instead of the checkout'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l strict -d 'Trust nothing: isolate, run the merge base too, and let no test be lost or newly skipped'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l allow-unchecked -d 'Exit with 0 when there is no contract'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -l demo -d 'Show a false claim fail and honest work pass, in a temporary repository'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -s q -l quiet -d 'Say nothing when passed, and less otherwise'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -s v -l verbose -d 'Cut nothing, and show what test runners print'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand parse" -l expect-digest -d 'Refuse any other contract than the one with this digest' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand parse" -l issue -d 'Read the contract from this issue: 12, owner/repo#12 or its address' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand parse" -l pr -d 'Read the contract from the issue that this pull request closes' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand parse" -l repo -d 'Look for the number in this repository [default: the environment\'s, then the git remote\'s]' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand parse" -l trust-associations -d 'Trust authors with these associations [default: OWNER,MEMBER,COLLABORATOR]' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand parse" -l trust-user -d 'Trust this author; repeatable' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand parse" -l trust-permission -d 'Trust authors with this permission instead of an association' -r -f -a "write\t''"
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand parse" -l max-wait -d 'Wait at most so many seconds for a rate limit to be lifted [default: 60]' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand parse" -l format -d 'Choose the form of the report' -r -f -a "human\t'For people'
json\t'For programs'
markdown\t'For comments and summaries'
hook\t'For an agent\'s stop hook'"
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand parse" -l output -d 'Write the report to a file instead of stdout' -r -F
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand parse" -l report -d 'Write a further report in another form; repeatable' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand parse" -l color -d 'Choose when to use colours' -r -f -a "auto\t'On a terminal, unless the environment forbids it'
always\t'In any case'
never\t'In no case'"
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand parse" -s C -l directory -d 'Work in this folder' -r -F
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand parse" -l require-edit-history -d 'Refuse a contract whose edits cannot be read'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand parse" -s q -l quiet -d 'Say nothing when passed, and less otherwise'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand parse" -s v -l verbose -d 'Cut nothing, and show what test runners print'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand parse" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l expect-digest -d 'Refuse any other contract than the one with this digest' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l issue -d 'Read the contract from this issue: 12, owner/repo#12 or its address' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l pr -d 'Read the contract from the issue that this pull request closes' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l repo -d 'Look for the number in this repository [default: the environment\'s, then the git remote\'s]' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l trust-associations -d 'Trust authors with these associations [default: OWNER,MEMBER,COLLABORATOR]' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l trust-user -d 'Trust this author; repeatable' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l trust-permission -d 'Trust authors with this permission instead of an association' -r -f -a "write\t''"
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l max-wait -d 'Wait at most so many seconds for a rate limit to be lifted [default: 60]' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l base -d 'Compare with this branch or commit [default: upstream/HEAD, origin/HEAD, origin/main, origin/master]' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l head -d 'Judge this commit [default: HEAD]' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l setup -d 'Run this command first in each clone; needs --isolate or --strict; repeatable' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l pass-env -d 'Let the tests see this variable of the environment; repeatable' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l allow-harness -d 'Let this file change although it decides how tests run; repeatable' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l timeout -d 'Give a run without a limit of its own so many seconds [default: 900]' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l jobs -d 'Run so many independent commands at once [default: 1]' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l cache-dir -d 'Keep build output and results of the merge base here, for the next run' -r -F
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l format -d 'Choose the form of the report' -r -f -a "human\t'For people'
json\t'For programs'
markdown\t'For comments and summaries'
hook\t'For an agent\'s stop hook'"
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l output -d 'Write the report to a file instead of stdout' -r -F
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l report -d 'Write a further report in another form; repeatable' -r
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l color -d 'Choose when to use colours' -r -f -a "auto\t'On a terminal, unless the environment forbids it'
always\t'In any case'
never\t'In no case'"
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -s C -l directory -d 'Work in this folder' -r -F
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l require-edit-history -d 'Refuse a contract whose edits cannot be read'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l isolate -d 'Run tests in a private clone of head instead of the checkout'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -l strict -d 'Trust nothing: isolate, run the merge base too, and let no test be lost or newly skipped'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -s q -l quiet -d 'Say nothing when passed, and less otherwise'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -s v -l verbose -d 'Cut nothing, and show what test runners print'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand help; and not __fish_seen_subcommand_from check parse explain help" -f -a "check" -d 'Judge a change'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand help; and not __fish_seen_subcommand_from check parse explain help" -f -a "parse" -d 'Read a contract and find its errors'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand help; and not __fish_seen_subcommand_from check parse explain help" -f -a "explain" -d 'Say what a contract asks and how it stands, without running a test'
complete -c agent-acceptance -n "__fish_agent_acceptance_using_subcommand help; and not __fish_seen_subcommand_from check parse explain help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
