# Completion of firstcall's options and files in bash.

_firstcall_options="
    -O0 -O1 -O2 -O3 --backend= --baseline= --compile-server-budget= --compile-server-fallback
    --compile-server= --compile-threads= --disable-lazy-compilation --dlopen= --enable-cache-manager --entry-function=
    --extra-archive= --extra-module= --extra-object= --fake-argv0= --force-interpreter --functions=
    --help --help-list --isolate --isolate-memory= --isolate-timeout= --jd= --jit-kind=
    --mcjit-remote-process= --mode= --mtriple= --no-branch-counts --no-object-cache --no-process-syms
    --object-cache-budget= --object-cache-dir= --object-cache-key-file= --object-cache-key= --object-cache-policy=
    --object-cache= --optimized --optnone= --orc-lazy-debug= --per-module-lazy --perf=
    --print-compilation --promotion-threads= --promotion-threshold= --remote-mcjit --report=
    --speculation-budget= --stats --thread-entry= --tier= --trace= --version --write-hot-functions=
"

_firstcall() {
  local word=${COMP_WORDS[COMP_CWORD]} option= values= i
  # The value of an option: readline makes words of their own of the name, the equals sign and the value.
  if [[ $word == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]} word=
  elif ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case "$option" in
    --backend) values="auto baseline llvm mcjit" ;;
    --baseline) values="on off strict" ;;
    --jit-kind) values="mcjit orc orc-lazy" ;;
    --mode) values="lazy eager" ;;
    --optnone) values="auto keep ignore" ;;
    --orc-lazy-debug) values="no-dump funcs-to-stdout mods-to-stdout mods-to-disk jit-debug-descriptor jit-debug-objects" ;;
    --perf) values="map jitdump" ;;
    --tier) values="0 1 auto" ;;
  esac
  if [[ $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
    return
  fi
  if [[ ! $option ]]; then
    # Behind the program come its own arguments.
    for ((i = 1; i < COMP_CWORD; ++i)); do
      case "${COMP_WORDS[i]}" in
        -* | =) ;;
        cache)
          if ((i == 1 && COMP_CWORD == 2)); then
            COMPREPLY=($(compgen -W "list show verify clear" -- "$word"))
            return
          fi
          break
          ;;
        bench | precompile | serve) ((i == 1)) || break ;;
        *) [[ ${COMP_WORDS[i - 1]} == = ]] || break ;;
      esac
    done
    if ((i == COMP_CWORD)) && [[ $word == -* ]]; then
      COMPREPLY=($(compgen -W "$_firstcall_options" -- "$word"))
      if [[ ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace 2>/dev/null; fi
      return
    fi
  fi
  COMPREPLY=($(compgen -f -- "$word"))
  if ((COMP_CWORD == 1)); then COMPREPLY+=($(compgen -W "bench cache precompile serve" -- "$word")); fi
  compopt -o filenames 2>/dev/null
}

complete -F _firstcall firstcall
